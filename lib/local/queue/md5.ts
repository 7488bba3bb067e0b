import { createHash } from 'node:crypto';

/** The checksum that SQS gives along and its clients verify. */
export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
