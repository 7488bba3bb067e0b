import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { DUE_AT, DUE_INDEX, DUE_SHARD, PARTITION_KEY, TTL_ATTRIBUTE } from '../contract/table.ts';

export interface IdempotencyTableProps {
  /**
   * Whether the table and its claims may be deleted with the stack.
   *
   * @default false: deletion protection is on and CloudFormation retains the table
   */
  readonly disposable?: boolean;
}

/**
 * Put, Update and Delete are the claim's writes, alone and inside a transaction (which asks for the same actions);
 * GetItem reads what a lost write met. No transaction here carries a bare condition check, so none is allowed.
 */
const CLAIM_ACTIONS = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:GetItem'];

/**
 * The DynamoDB table that holds the claims, and the domain records that are written in the same transactions.
 *
 * It lives in one Region and takes no replicas: with the eventual consistency of a global table, the conditional puts
 * of two Regions both win, and each of them would charge. Send every request of one principal to one Region instead.
 *
 * Point-in-time recovery is always on. A table restored to an earlier moment has forgotten the claims made since, so
 * restore with the API closed and open it when the restored claims are reconciled with the provider.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html
 *
 * @example
 * const table = new IdempotencyTable(this, 'Claims');
 * table.grantClaims(handler);
 */
export class IdempotencyTable extends Construct {
  readonly tableName: string;
  readonly tableArn: string;

  constructor(scope: Construct, id: string, props: IdempotencyTableProps = {}) {
    super(scope, id);
    const disposable = props.disposable ?? false;
    const table = new TableV2(this, 'Table', {
      partitionKey: { name: PARTITION_KEY, type: AttributeType.STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
      billing: Billing.onDemand(),
      globalSecondaryIndexes: [
        {
          indexName: DUE_INDEX,
          partitionKey: { name: DUE_SHARD, type: AttributeType.NUMBER },
          sortKey: { name: DUE_AT, type: AttributeType.NUMBER },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !disposable,
      removalPolicy: disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    this.tableName = table.tableName;
    this.tableArn = table.tableArn;
  }

  /** Lets a function claim keys and settle them: the table only, no index, no scan. */
  grantClaims(grantee: IGrantable): Grant {
    return this.#grant(grantee, CLAIM_ACTIONS, this.tableArn);
  }

  /** Lets a function find the claims that are due and settle them. */
  grantReconcile(grantee: IGrantable): Grant {
    const query = this.#grant(grantee, ['dynamodb:Query'], `${this.tableArn}/index/${DUE_INDEX}`);
    return this.grantClaims(grantee).combine(query);
  }

  /** Lets a function read one item by its key, and nothing else. */
  grantRead(grantee: IGrantable): Grant {
    return this.#grant(grantee, ['dynamodb:GetItem'], this.tableArn);
  }

  #grant(grantee: IGrantable, actions: string[], resourceArn: string): Grant {
    return Grant.addToPrincipal({ grantee, actions, resourceArns: [resourceArn] });
  }
}
