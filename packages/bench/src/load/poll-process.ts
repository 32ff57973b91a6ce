// A process of polling clients: it follows the orders of its parent.
import { answerOrders, planOf } from '../processes.ts';
import { type PollOrder, type PollPlan, PollReaders } from './poll-reader.ts';

const readers = new PollReaders(planOf<PollPlan>());
answerOrders<PollOrder>(await readers.open(), (order) => readers.follow(order));
