import path from 'node:path';
import { provideCheckout } from './checkout.ts';
import { MeasuredProgram } from './measured-program.ts';

const receiver = path.join(import.meta.dirname, 'trace-receiver-process.ts');
const ours = path.resolve(import.meta.dirname, '../../..');

/** How a program is traced that is measured beside others. */
export interface TraceVariant {
  readonly name: string;
  /** The variables that switch its traces on. */
  readonly env: NodeJS.ProcessEnv;
  /** The checkout that the program is started from. */
  readonly folder: string;
}

/**
 * Returns the variants that are compared, the first of which is without traces. It comes twice: what the two differ by is the
 * noise. With `former`, the last one is the program of that commit. Disposal of `stack` ends the receiver of the spans.
 */
export async function traceVariants(
  former: string | undefined,
  stack: AsyncDisposableStack,
): Promise<readonly TraceVariant[]> {
  const program = stack.use(await MeasuredProgram.start(receiver, {}));
  const { url } = await program.ask<{ readonly url: string }>('url');
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
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
