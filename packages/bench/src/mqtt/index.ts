export { BROKER_PROGRAM, type Broker, startBroker } from './broker.ts';
export { createPublisher, type Publisher } from './publisher.ts';
