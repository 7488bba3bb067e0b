import { readRetention } from '../../lib/runtime/environment.ts';
import { createHandler } from './app.ts';

export const handler = createHandler(readRetention());
