// A process of the readers of a push load: it follows the orders of its parent.
import { answerOrders, planOf } from '../processes.ts';
import { type PushOrder, type PushPlan, PushReaders } from './push-reader.ts';

const readers = new PushReaders(planOf<PushPlan>());
answerOrders<PushOrder>(await readers.open(), (order) => readers.follow(order));
