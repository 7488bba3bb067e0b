/** In SQS's own spelling, as it comes and as it goes; binary values are base64. */
export type MessageAttribute = {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: string;
};

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

/** What a sender hands over. */
export interface NewMessage {
  readonly body: string;
  readonly attributes: MessageAttributes;
  /** Undefined: the queue's own. */
  readonly delayMs: number | undefined;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
}

/** A message as it is in its queue; times are milliseconds since the epoch. */
export interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly sentAt: number;
  /** 20 digits, in FIFO queues only. */
  readonly sequenceNumber: string | undefined;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly visibleAt: number;
  readonly receiveCount: number;
  readonly firstReceivedAt: number | undefined;
  /** Of the last time that it was received. */
  readonly receiptHandle: string | undefined;
}
