import { isObject, type Json, type JsonObject } from '../template/json.ts';
import type { MessageAttribute, MessageAttributes, NewMessage } from './message.ts';
import { invalidValue, missing } from './queue-error.ts';

const DELAY_SECONDS_MAX = 900;
const ATTRIBUTES_MAX = 10;

export function requiredText(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string' && value !== '') return value;
  throw missing(name);
}

/** A whole number within its bounds; undefined when it is not there. */
export function wholeNumber(input: JsonObject, name: string, min: number, max: number): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidValue(name, `it must be from ${min} to ${max}`);
}

export function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** What `SendMessage` says, or one entry of a batch. */
export function newMessage(input: JsonObject): NewMessage {
  const delaySeconds = wholeNumber(input, 'DelaySeconds', 0, DELAY_SECONDS_MAX);
  return {
    body: requiredText(input, 'MessageBody'),
    attributes: messageAttributes(input['MessageAttributes']),
    delayMs: delaySeconds === undefined ? undefined : delaySeconds * 1000,
    groupId: optionalText(input['MessageGroupId']),
    deduplicationId: optionalText(input['MessageDeduplicationId']),
  };
}

function messageAttributes(value: Json | undefined): MessageAttributes {
  const attributes = Object.entries(isObject(value) ? value : {});
  if (attributes.length > ATTRIBUTES_MAX) throw invalidValue('MessageAttributes', `more than ${ATTRIBUTES_MAX}`);
  return Object.fromEntries(attributes.map(([name, attribute]) => [name, messageAttribute(name, attribute)]));
}

function messageAttribute(name: string, value: Json): MessageAttribute {
  const { DataType, StringValue, BinaryValue } = isObject(value) ? value : {};
  if (typeof DataType !== 'string' || !/^(String|Number|Binary)(\.|$)/.test(DataType)) {
    throw invalidValue('MessageAttributes', `${name} must be of type String, Number or Binary`);
  }
  if (DataType.startsWith('Binary') && typeof BinaryValue === 'string') return { DataType, BinaryValue };
  if (!DataType.startsWith('Binary') && typeof StringValue === 'string') return { DataType, StringValue };
  throw invalidValue('MessageAttributes', `${name} has no value of its type`);
}

function optionalText(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
