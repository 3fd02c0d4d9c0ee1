// Stands for the receiver that `event-webhooks init` writes beside a route.
export { receiver } from '../stores/memory.js';
