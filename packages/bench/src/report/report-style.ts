import { DARK_THEME, LIGHT_THEME, themeProperties } from './figure-theme.ts';

const LIGHT = `${themeProperties(LIGHT_THEME)}--link:#00579b;--soft:#f4f6f8;--rule:#d3d9df;--shade:rgb(0 0 0/.28);--warn:#fff3df;--warn-rule:#b96a00;`;
const DARK = `${themeProperties(DARK_THEME)}--link:#85c3f5;--soft:#1f2429;--rule:#3c444c;--shade:rgb(255 255 255/.3);--warn:#33260f;--warn-rule:#e0993a;`;

/** The style of the page of reports: light, dark, narrow and in print. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;overflow-wrap:anywhere}
main{width:min(100% - 2rem,72rem);margin:2.5rem auto 5rem}
h1,h2,h3,h4{line-height:1.2;text-wrap:balance;margin:0}
h1{font-size:2rem;letter-spacing:-.015em}
h2{font-size:1.6rem;letter-spacing:-.01em}
h3{font-size:1.2rem}
.kicker{margin:0 0 .35rem;color:var(--muted);font-size:.85rem;font-weight:600;letter-spacing:.05em}
p{margin:.8rem 0;max-width:44rem}
a{color:var(--link);text-underline-offset:.15em}
a:focus-visible,.scroll:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.lead{font-size:1.1rem;color:var(--muted)}
nav{margin:1.5rem 0;padding:1rem 1.25rem;background:var(--soft);border-radius:.5rem}
nav ol{margin:.4rem 0 0;padding:0;list-style:none}
nav li{margin:.35rem 0}
nav ol ol{margin:.1rem 0 .6rem 1.1rem;font-size:.9rem}
nav ol ol li{margin:.1rem 0}
.flag{color:var(--muted);font-size:.85rem}
article{margin-top:3.5rem;padding-top:2.5rem;border-top:1px solid var(--rule)}
article.only{margin-top:0;padding-top:0;border-top:0}
section{margin-top:2.5rem}
.warnings{margin:1.5rem 0;padding:.9rem 1.25rem;background:var(--warn);border-left:.3rem solid var(--warn-rule);border-radius:.25rem}
.warnings ul{margin:.4rem 0 0;padding-left:1.2rem}
.warnings li{margin:.25rem 0}
.warnings strong{display:block}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.3rem 1.5rem;margin:1.5rem 0;font-size:.9rem}
dt{color:var(--muted)}
dd{margin:0}
figure{margin:1.75rem 0}
figcaption{margin-bottom:.6rem;font-weight:600;max-width:44rem}
figure svg{display:block;max-width:100%;height:auto}
figure svg.narrow{display:none}
.scroll{overflow-x:auto;max-width:100%}
code{padding:.05em .25em;background:var(--soft);border-radius:.2em;font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace}
.table>.scroll{background:linear-gradient(to left,var(--ground) 1.5rem,transparent) right/3rem 100% no-repeat local,linear-gradient(to left,var(--shade),transparent) right/.9rem 100% no-repeat}
table{border-collapse:separate;border-spacing:0;font-size:.9rem;font-variant-numeric:tabular-nums lining-nums}
th,td{padding:.4rem .75rem;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--rule);overflow-wrap:normal}
th:first-child,td:first-child{padding-left:0}
td{min-width:4.5rem;max-width:24rem}
thead th{vertical-align:bottom;font-weight:600;color:var(--muted);border-bottom:2px solid var(--rule);line-height:1.3;max-width:12rem}
tbody th{font-weight:500;min-width:11rem;max-width:22rem}
thead th:first-child,tbody th{position:sticky;left:0;background:var(--ground)}
.number{text-align:right;white-space:nowrap}
thead .number{white-space:normal}
.range{display:block;font-size:.85em;color:var(--muted)}
pre{margin:1.25rem 0;padding:.9rem 1.1rem;background:var(--soft);border-radius:.5rem;font:.82rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace;overflow-wrap:normal}
details{margin-top:2.5rem}
summary{cursor:pointer;font-weight:600}
@media (max-width:40rem){
main{margin-top:1.5rem}
h1{font-size:1.6rem}
h2{font-size:1.35rem}
dl{grid-template-columns:minmax(0,1fr);gap:0}
dd{margin-bottom:.6rem}
figure svg.wide{display:none}
figure svg.narrow{display:block}
th,td{padding:.35rem .5rem}
tbody th{min-width:6rem;max-width:9.5rem}
}
@media print{
:root{color-scheme:light;${LIGHT}}
@page{margin:18mm 16mm}
body{font-size:10pt}
main{width:auto;margin:0}
article{break-before:page;margin-top:0;border-top:0;padding-top:0}
h2,h3,figcaption{break-after:avoid}
figure,.warnings,tr{break-inside:avoid}
figure.table{break-inside:auto}
thead{display:table-header-group}
.scroll{overflow:visible}
.table>.scroll{background:none}
table{font-size:7.5pt}
thead th:first-child,tbody th{position:static}
th,td{padding:.15rem .35rem}
td,tbody th{min-width:0}
pre{white-space:pre-wrap}
figure svg.wide{display:block}
figure svg.narrow{display:none}
details{display:none}
a{color:inherit}
}
`;
