// Stands for the receiver that `event-webhooks init` writes beside its test.
export { close, effectsOf, migrate, receiver } from './memory.js';
