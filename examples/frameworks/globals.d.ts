// As much of the other runtimes, of SvelteKit and of `event-webhooks` as the recipes use.
declare const Bun: {
  serve(options: {
    port: number;
    idleTimeout: number;
    routes: Record<string, (request: Request) => Promise<Response>>;
  }): { port: number };
};

declare const Deno: {
  env: { get(name: string): string | undefined };
  serve(
    options: { port: number; onListen: (address: { port: number }) => void },
    handler: (request: Request) => Response | Promise<Response>,
  ): unknown;
};

declare module '$env/dynamic/private' {
  export const env: Record<string, string | undefined>;
}

// Its own declarations are of the library in the repository, and the recipes use the packed one.
declare module 'event-webhooks/explain' {
  export function explainRefusals(options: { secret: string }): import('event-webhook-receiver').OnError;
}
