// A process of readers: it follows the orders of its parent.
import { answerOrders, planOf } from '../processes.ts';
import { openPollReaders, type PollOrder, type PollPlan } from './poll-reader.ts';
import { openPushReaders, type PushOrder, type PushPlan } from './push-reader.ts';

const plan = planOf<PushPlan | PollPlan>();
if ('behaviour' in plan) answerOrders<PollOrder>({}, await openPollReaders(plan));
else answerOrders<PushOrder>({}, await openPushReaders(plan));
