import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { provideCheckout } from './checkout.ts';
import { HOST } from './servers.ts';

const ours = path.resolve(import.meta.dirname, '../../..');

export interface TraceVariant {
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}

/**
 * Returns the variants that are compared. The first one is without traces and comes twice: what the two differ by is the noise.
 * With `former`, the last one is the program of that commit. Disposal of `stack` ends the receiver of the spans.
 */
export async function traceVariants(
  former: string | undefined,
  stack: AsyncDisposableStack,
): Promise<readonly TraceVariant[]> {
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: await startReceiver(stack) };
  const some = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' };
  const variants = [
    { name: 'off', env: {}, folder: ours },
    { name: 'off again', env: {}, folder: ours },
    { name: 'on', env: on, folder: ours },
    { name: 'on, one trace of 20', env: { ...on, ...some }, folder: ours },
  ];
  if (former === undefined) return variants;
  return [...variants, { name: former, env: {}, folder: await provideCheckout(former) }];
}

/** Returns the address of a server that receives spans and looks at none. */
async function startReceiver(stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end());
  });
  await once(server.listen(0, HOST), 'listening');
  stack.defer(async () => {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  });
  const address = server.address();
  return `http://${HOST}:${typeof address === 'object' ? address?.port : ''}`;
}
