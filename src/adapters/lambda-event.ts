/** Headers by name, in any case, or query parameters. */
type Headers = { readonly [name: string]: string | undefined };
type MultiValueHeaders = { readonly [name: string]: readonly string[] | undefined };

interface EventQuery {
  readonly path?: string | undefined;
  readonly queryStringParameters?: Headers | null | undefined;
  readonly multiValueQueryStringParameters?: MultiValueHeaders | null | undefined;
}

interface EventBody {
  /** The body as text, or in base64. */
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** What is used of an event of API Gateway: a REST API with proxy integration, or payload format 1.0. */
export interface ApiGatewayEvent extends EventBody, EventQuery {
  readonly httpMethod: string;
  readonly headers?: Headers | null | undefined;
  /** The same headers with all values. */
  readonly multiValueHeaders?: MultiValueHeaders | null | undefined;
}

/** What is used of an event of payload format 2.0: an HTTP API of API Gateway, or a function URL. */
export interface HttpApiEvent extends EventBody {
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  /** Repeated headers are joined with a comma. */
  readonly headers?: Headers | undefined;
}

/** What is used of an event of an Application Load Balancer. */
export interface LoadBalancerEvent extends EventBody, EventQuery {
  readonly httpMethod: string;
  readonly requestContext: { readonly elb: object };
  /** For a repeated header, only the last value, unless the target group enables multi-value headers. */
  readonly headers?: Headers | undefined;
  /** In place of `headers` when the target group enables multi-value headers. */
  readonly multiValueHeaders?: MultiValueHeaders | undefined;
}

/** An HTTP request as Lambda functions get it. */
export type LambdaEvent = ApiGatewayEvent | HttpApiEvent | LoadBalancerEvent;

/** A result in the form that all of these hosts accept. */
export interface LambdaResult {
  statusCode: number;
  /** The status with its reason, for a load balancer. */
  statusDescription?: string;
  /** Unless the event came from a load balancer with multi-value headers on. */
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  /** Always empty. */
  body: '';
  isBase64Encoded: false;
}
