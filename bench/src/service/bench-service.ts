import { StartError } from '@session/kit';
import { machineText } from '../measure/servers.ts';
import { reportOf } from './report.ts';
import { runService } from './run-service.ts';
import type { ServiceOptions } from './service-options.ts';

const SAMPLE_MS = 5000;

/**
 * Measures the whole service. A history that is wrong makes the process end with the exit code 1. Throws a StartError
 * when the stack does not start, or is stopped before there is a result.
 */
export async function* benchService(
  options: Omit<ServiceOptions, 'sampleMs'>,
): AsyncGenerator<string> {
  const machine = machineText();
  const { rooms, agents, rate, loginsPerMinute, stop } = options;
  const result = await runService({ ...options, sampleMs: SAMPLE_MS }).catch((error: unknown) => {
    throw stop.aborted ? new StartError('Stopped without a result.') : error;
  });
  if (result.check.faults.length > 0) process.exitCode = 1;
  const load = `${rooms} rooms, ${agents} agents, ${rate} messages per second, ${loginsPerMinute} logins per minute`;
  yield `## service\n\n${load}\n${machine}\n\n${reportOf(result)}\n`;
}
