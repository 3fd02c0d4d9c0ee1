// Only for a function URL in the invoke mode RESPONSE_STREAM. Lambda's runtime has `awslambda`; @types/aws-lambda, its type.
import type { Context } from 'aws-lambda';
import { type LambdaEvent, lambdaHandler } from 'event-webhook-receiver/lambda';

const receive = lambdaHandler({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(event.event, event.id),
});

export const handler = awslambda.streamifyResponse(async (event: LambdaEvent, stream, context: Context) => {
  const { statusCode, headers } = await receive(event, context);
  const response = awslambda.HttpResponseStream.from(stream, { statusCode, headers });
  response.write(''); // the runtime sends the status before the first write, not at the end
  response.end();
});
