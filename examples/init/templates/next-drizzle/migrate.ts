// Run it in each deployment: npm run migrate.
import { close, migrate } from './webhooks/receiver';

await migrate();
await close();
