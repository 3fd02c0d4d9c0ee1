// As much of the other runtimes and of SvelteKit as the recipes use.
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
