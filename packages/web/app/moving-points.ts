/*
 * Points that glide from where they were to where they are, drawn by the graphics card: a layer of MapLibre of our own.
 * Each update of a point is written once, as its way and the instant of its start; between updates nothing is computed
 * for any point on the main thread, however many there are.
 *
 *   put('http://h/e/1', [3.44, 51.0], { headingDegrees: 90, colour })
 *   -> a slot of 32 bytes: from x, y; to x, y; start in seconds; heading in radians; colour
 *   -> vertex shader: position = mix(from, to, share of the time that has passed)
 *
 * Places are Mercator coordinates relative to the first point, since 32 bits would round those of the whole earth to metres.
 */
import {
  type CustomLayerInterface,
  type CustomRenderMethodInput,
  type Map as MapLibre,
  MercatorCoordinate,
} from 'maplibre-gl';
import type { Colour } from './colours.ts';

const SLOT_BYTES = 32;
const NO_HEADING = -100;
/** More than these are drawn smaller. */
const CROWD = 1000;
/** Where Mercator maps end, degrees. */
const LIMIT_LATITUDE = 85.0511;
/** Width of the world at zoom 0. */
const TILE_PIXELS = 512;

const VERTEX = `#version 300 es
in vec4 a_way; in vec2 a_state; in vec4 a_colour;
uniform mat4 u_matrix; uniform float u_now; uniform float u_duration; uniform float u_size; uniform float u_bearing;
out vec4 v_colour; out float v_heading;
void main() {
  float share = u_duration > 0.0 ? clamp((u_now - a_state.x) / u_duration, 0.0, 1.0) : 1.0;
  share = share * share * (3.0 - 2.0 * share);
  gl_Position = u_matrix * vec4(mix(a_way.xy, a_way.zw, share), 0.0, 1.0);
  gl_PointSize = u_size;
  v_colour = a_colour;
  v_heading = a_state.y <= ${NO_HEADING}.0 ? a_state.y : a_state.y - u_bearing;
}`;

const UNIFORMS = ['u_matrix', 'u_now', 'u_duration', 'u_size', 'u_bearing'] as const;

// A disc with a light rim; where a heading is known, a nose that points there.
const FRAGMENT = `#version 300 es
precision highp float;
in vec4 v_colour; in float v_heading; out vec4 colour; uniform float u_size;
void main() {
  vec2 p = gl_PointCoord * 2.0 - 1.0;
  float edge = 2.5 / u_size;
  float disc = length(p) - 0.5;
  float shape = disc;
  if (v_heading > ${NO_HEADING}.0) {
    float c = cos(v_heading), s = sin(v_heading);
    vec2 q = vec2(c * p.x + s * p.y, -s * p.x + c * p.y);
    float nose = max(abs(q.x) * 0.86 + q.y * -0.5 - 0.46, q.y + 0.1);
    shape = min(disc, nose);
  }
  float inside = 1.0 - smoothstep(-edge, 0.0, shape + 0.13);
  float whole = 1.0 - smoothstep(-edge, 0.0, shape);
  if (whole <= 0.0) discard;
  colour = vec4(mix(vec3(1.0), v_colour.rgb, inside), 1.0) * whole * v_colour.a;
}`;

export interface PointLook {
  readonly headingDegrees: number | undefined;
  readonly colour: Colour;
}

export class MovingPoints implements CustomLayerInterface {
  readonly id = 'moving-points';
  readonly type = 'custom';
  readonly renderingMode = '2d';
  /** Whether they are drawn; hidden, they go on. */
  isShown = true;
  readonly #durationMs: number;
  readonly #slots = new Map<string, number>();
  readonly #iris: string[] = [];
  #bytes = new ArrayBuffer(SLOT_BYTES * 256);
  #floats = new Float32Array(this.#bytes);
  #colours = new Uint8Array(this.#bytes);
  #origin: { x: number; y: number } | undefined;
  #isStale = true;
  #movingUntilMs = 0;
  #map: MapLibre | undefined;
  #drawing:
    | {
        program: WebGLProgram;
        array: WebGLVertexArrayObject;
        buffer: WebGLBuffer;
        uniforms: (WebGLUniformLocation | null)[];
      }
    | undefined;
  readonly #startMs = performance.now();

  /** @param durationMs - how long a point takes to its next place; 0: none */
  constructor(durationMs: number) {
    this.#durationMs = durationMs;
  }

  get size(): number {
    return this.#iris.length;
  }

  put(iri: string, [longitude, latitude]: readonly [number, number], { headingDegrees, colour }: PointLook): void {
    // A pole lies at no finite place of a Mercator map.
    const clamped = Math.max(-LIMIT_LATITUDE, Math.min(LIMIT_LATITUDE, latitude));
    const { x, y } = MercatorCoordinate.fromLngLat([longitude, clamped]);
    this.#origin ??= { x, y };
    const [toX, toY] = [x - this.#origin.x, y - this.#origin.y];
    const known = this.#slots.get(iri);
    const index = known ?? this.#newSlot(iri);
    const [fromX, fromY] = known === undefined ? [toX, toY] : this.#placeOf(index);
    const heading = headingDegrees === undefined ? NO_HEADING : (headingDegrees * Math.PI) / 180;
    const isMoving = known !== undefined && (fromX !== toX || fromY !== toY);
    const startSeconds = isMoving
      ? (performance.now() - this.#startMs) / 1000
      : (this.#floats[index * 8 + 4] as number);
    this.#floats.set([fromX, fromY, toX, toY, startSeconds, heading], index * 8);
    this.#colours.set([...colour, 255], index * SLOT_BYTES + 24);
    if (isMoving) this.#movingUntilMs = performance.now() + this.#durationMs;
    this.#redraw();
  }

  remove(iri: string): void {
    const index = this.#slots.get(iri);
    if (index === undefined) return;
    const last = this.#iris.pop() as string;
    this.#slots.delete(iri);
    if (last !== iri) {
      this.#colours.copyWithin(
        index * SLOT_BYTES,
        this.#iris.length * SLOT_BYTES,
        (this.#iris.length + 1) * SLOT_BYTES,
      );
      this.#iris[index] = last;
      this.#slots.set(last, index);
    }
    this.#redraw();
  }

  /** The point that is drawn next to a place on the screen, at most so many pixels away. */
  nearest(pixel: { readonly x: number; readonly y: number }, limitPixels: number): string | undefined {
    if (!this.#map || !this.#origin) return undefined;
    const at = MercatorCoordinate.fromLngLat(this.#map.unproject([pixel.x, pixel.y]));
    const pixelsPerUnit = TILE_PIXELS * 2 ** this.#map.getZoom();
    let best = { iri: undefined as string | undefined, distance: limitPixels / pixelsPerUnit };
    for (const [index, iri] of this.#iris.entries()) {
      const [x, y] = this.#placeOf(index);
      const distance = Math.hypot(x + this.#origin.x - at.x, y + this.#origin.y - at.y);
      if (distance <= best.distance) best = { iri, distance };
    }
    return best.iri;
  }

  whereIs(at: number | string) {
    const index = typeof at === 'number' ? at : this.#slots.get(at);
    if (index === undefined || !this.#origin) return undefined;
    const [x, y] = this.#placeOf(index);
    return new MercatorCoordinate(x + this.#origin.x, y + this.#origin.y).toLngLat();
  }

  onAdd(map: MapLibre, gl: WebGL2RenderingContext): void {
    this.#map = map;
    const program = gl.createProgram();
    for (const [type, source] of [
      [gl.VERTEX_SHADER, VERTEX],
      [gl.FRAGMENT_SHADER, FRAGMENT],
    ] as const) {
      const shader = gl.createShader(type) as WebGLShader;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    for (const [location, name] of ['a_way', 'a_state', 'a_colour'].entries())
      gl.bindAttribLocation(program, location, name);
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS))
      throw new Error(gl.getProgramInfoLog(program) ?? 'no program');
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (const location of [0, 1, 2]) gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, SLOT_BYTES, 0);
    gl.vertexAttribPointer(1, 2, gl.FLOAT, false, SLOT_BYTES, 16);
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, SLOT_BYTES, 24);
    gl.bindVertexArray(null);
    const uniforms = UNIFORMS.map((name) => gl.getUniformLocation(program, name));
    this.#drawing = { program, array, buffer, uniforms };
    this.#isStale = true;
  }

  onRemove(): void {
    this.#map = undefined;
    this.#drawing = undefined;
  }

  render(gl: WebGL2RenderingContext | WebGLRenderingContext, input: CustomRenderMethodInput): void {
    const context = gl as WebGL2RenderingContext;
    if (!this.#drawing || !this.#map || !this.#origin || this.size === 0) return;
    const { program, array, buffer, uniforms } = this.#drawing;
    if (this.#isStale) {
      context.bindBuffer(context.ARRAY_BUFFER, buffer);
      context.bufferData(context.ARRAY_BUFFER, this.#colours.subarray(0, this.size * SLOT_BYTES), context.DYNAMIC_DRAW);
      this.#isStale = false;
    }
    if (!this.isShown) return;
    const nowMs = performance.now();
    const crowd = this.size > CROWD ? 0.65 : 1;
    const size = crowd * Math.min(38, Math.max(14, this.#map.getZoom() * 3 - 8)) * devicePixelRatio;
    const uniform = (name: (typeof UNIFORMS)[number]) => uniforms[UNIFORMS.indexOf(name)] ?? null;
    context.useProgram(program);
    context.uniformMatrix4fv(
      uniform('u_matrix'),
      false,
      translated(input.defaultProjectionData.mainMatrix, this.#origin),
    );
    context.uniform1f(uniform('u_now'), (nowMs - this.#startMs) / 1000);
    context.uniform1f(uniform('u_duration'), this.#durationMs / 1000);
    context.uniform1f(uniform('u_size'), size);
    context.uniform1f(uniform('u_bearing'), (this.#map.getBearing() * Math.PI) / 180);
    context.enable(context.BLEND);
    context.blendFunc(context.ONE, context.ONE_MINUS_SRC_ALPHA);
    context.disable(context.DEPTH_TEST);
    context.bindVertexArray(array);
    context.drawArrays(context.POINTS, 0, this.size);
    context.bindVertexArray(null);
    if (nowMs < this.#movingUntilMs) this.#map.triggerRepaint();
  }

  #newSlot(iri: string): number {
    const index = this.#iris.push(iri) - 1;
    this.#slots.set(iri, index);
    if (this.#iris.length * SLOT_BYTES > this.#bytes.byteLength) {
      const larger = new Uint8Array(this.#bytes.byteLength * 2);
      larger.set(this.#colours);
      this.#bytes = larger.buffer;
      this.#floats = new Float32Array(this.#bytes);
      this.#colours = larger;
    }
    this.#floats[index * 8 + 4] = -1e6;
    return index;
  }

  /** Where a point is drawn at this moment: by the same formula as in the shader. */
  #placeOf(index: number): [number, number] {
    const [fromX, fromY, toX, toY, startSeconds] = this.#floats.subarray(
      index * 8,
      index * 8 + 5,
    ) as unknown as number[];
    const passedMs = performance.now() - this.#startMs - (startSeconds as number) * 1000;
    const linear = this.#durationMs > 0 ? Math.min(1, Math.max(0, passedMs / this.#durationMs)) : 1;
    const share = linear * linear * (3 - 2 * linear);
    const mix = (from = 0, to = 0) => from + (to - from) * share;
    return [mix(fromX, toX), mix(fromY, toY)];
  }

  #redraw(): void {
    this.#isStale = true;
    this.#map?.triggerRepaint();
  }
}

// In double precision, and only then as what the card takes.
function translated(matrix: ArrayLike<number>, { x, y }: { readonly x: number; readonly y: number }): Float32Array {
  const result = Float32Array.from(matrix);
  for (const row of [0, 1, 2, 3]) {
    const column = (index: number) => matrix[index * 4 + row] as number;
    result[12 + row] = column(0) * x + column(1) * y + column(3);
  }
  return result;
}
