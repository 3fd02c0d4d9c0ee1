import { describeOrms } from '../servers.js';
import { describeCursor } from '../suites/cursor.js';

await describeOrms([describeCursor]);
