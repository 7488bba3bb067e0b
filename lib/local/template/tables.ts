import { ofType } from './api.ts';
import type { Resource } from './assembly.ts';
import { resolveValue, type Scope, unsupported } from './intrinsics.ts';
import { isObject, type Json } from './json.ts';
import { localName } from './local-values.ts';
import type { IndexModel, KeyModel, TableModel } from './service-model.ts';

/** `TableV2` synthesises a global table; both types describe keys and indexes in the same words. */
export function readTables(scopes: readonly Scope[]): TableModel[] {
  return scopes.flatMap((scope) =>
    [...ofType(scope, 'AWS::DynamoDB::GlobalTable'), ...ofType(scope, 'AWS::DynamoDB::Table')].map((table) =>
      readTable(table, scope),
    ),
  );
}

function readTable(table: Resource, scope: Scope): TableModel {
  const properties = resolveValue(described(table), scope);
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, TimeToLiveSpecification } = isObject(properties)
    ? properties
    : {};
  const ttl = isObject(TimeToLiveSpecification) ? TimeToLiveSpecification : {};
  return {
    name: localName(table, scope),
    keySchema: keys(KeySchema ?? null),
    attributes: objects(AttributeDefinitions).map(({ AttributeName, AttributeType }) => {
      if (AttributeType !== 'S' && AttributeType !== 'N' && AttributeType !== 'B') {
        throw unsupported(`table ${table.id} has an attribute of type ${AttributeType}`);
      }
      return { AttributeName: String(AttributeName), AttributeType };
    }),
    globalIndexes: objects(GlobalSecondaryIndexes).map(readIndex),
    ttlAttribute: ttl['Enabled'] === true ? String(ttl['AttributeName']) : undefined,
  };
}

/** The rest of a table (replicas, encryption, alarms) may refer to what exists in an account only. */
function described({ properties }: Resource): Json {
  const wanted = ['KeySchema', 'AttributeDefinitions', 'GlobalSecondaryIndexes', 'TimeToLiveSpecification'];
  return Object.fromEntries(Object.entries(properties).filter(([name]) => wanted.includes(name)));
}

function readIndex({ IndexName, KeySchema, Projection }: { readonly [name: string]: Json }): IndexModel {
  const { ProjectionType, NonKeyAttributes } = isObject(Projection) ? Projection : {};
  return {
    IndexName: String(IndexName),
    KeySchema: keys(KeySchema ?? null),
    Projection: {
      ProjectionType: String(ProjectionType ?? 'ALL'),
      ...(Array.isArray(NonKeyAttributes) ? { NonKeyAttributes: NonKeyAttributes.map(String) } : {}),
    },
  };
}

function keys(value: Json): KeyModel[] {
  return objects(value).map(({ AttributeName, KeyType }) => ({
    AttributeName: String(AttributeName),
    KeyType: KeyType === 'RANGE' ? 'RANGE' : 'HASH',
  }));
}

function objects(value: Json | undefined) {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
