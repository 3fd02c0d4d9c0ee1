/** Headers by name, in whatever case the sender and the host have written them, or parameters of the query. */
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
  /** The same headers with all of their values. */
  readonly multiValueHeaders?: MultiValueHeaders | null | undefined;
}

/** What is used of an event of payload format 2.0: an HTTP API of API Gateway, or a function URL. */
export interface HttpApiEvent extends EventBody {
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  /** Values that were sent apart are joined with a comma. */
  readonly headers?: Headers | undefined;
}

/** What is used of an event of an Application Load Balancer. */
export interface LoadBalancerEvent extends EventBody, EventQuery {
  readonly httpMethod: string;
  readonly requestContext: { readonly elb: object };
  /** Of a header that was sent more than once the last value alone, unless the target group has multi-value headers on. */
  readonly headers?: Headers | undefined;
  /** In place of `headers` when the target group has multi-value headers on. */
  readonly multiValueHeaders?: MultiValueHeaders | undefined;
}

/** An HTTP request as Lambda functions get it. */
export type LambdaEvent = ApiGatewayEvent | HttpApiEvent | LoadBalancerEvent;

/** An answer in the form that all of these hosts take. */
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
