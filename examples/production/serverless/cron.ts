// A route that a scheduler calls each minute with `Authorization: Bearer <CRON_SECRET>`, as Vercel Cron does.
import { createHash, timingSafeEqual } from 'node:crypto';
import { reconcile } from 'event-webhook-receiver/chain';
import { receiver, source, store } from './receiver.js';

const digest = (text: string) => createHash('sha256').update(text).digest();

export async function GET(request: Request): Promise<Response> {
  const secret = process.env.CRON_SECRET;
  const given = request.headers.get('authorization') ?? '';
  if (!secret || !timingSafeEqual(digest(given), digest(`Bearer ${secret}`)))
    return new Response(null, { status: 403 });

  const signal = AbortSignal.timeout(20_000); // the next call continues where this one stopped
  const reorgs = await receiver.settleReorgs({ signal });
  const cursor = store.cursor('transfers');
  const from = Number(process.env.FROM_BLOCK);
  const { repaired, left, stopped } = await reconcile({ source, receiver, from, cursor, keySource: false, signal });
  await store.sweep();
  return Response.json({ reorgs, repaired, left, stopped: stopped?.reason });
}
