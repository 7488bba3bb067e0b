import { memoryStore } from '../../lib/stores/memory.ts';
import { NOW } from './samples.ts';
import { storeContract } from './store-contract.ts';

storeContract('memory', () => memoryStore({ now: () => NOW }));
