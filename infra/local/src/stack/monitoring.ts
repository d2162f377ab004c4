import path from 'node:path';
import {
  INSTALL_PROMETHEUS,
  isPrometheusInstalled,
  preparePrometheus,
} from '../monitoring/prometheus.ts';
import { onFreePorts, running, type StartedPart } from './parts.ts';
import { LOOPBACK, type StackContext } from './stack-context.ts';

const PROMETHEUS = 'Prometheus';
const USUAL_PORT = 9090;

const NONE = { address: undefined };

export type MonitoringContext = Pick<StackContext, 'portOf' | 'progress' | 'start' | 'stop'> & {
  readonly config: Pick<StackContext['config'], 'folder' | 'monitoring'>;
};

/**
 * Starts Prometheus if the user asks for it, and returns its URL. If it fails, one sentence gives the reason and the
 * remedy.
 */
export async function startMonitoring(
  { config, progress, stop, start, portOf }: MonitoringContext,
  metricsUrls: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<StartedPart<string | undefined>> {
  if (!config.monitoring) return NONE;
  const { speed } = config.monitoring;
  const has = 'MONITORING=1 has no effect:';
  if (!(await isPrometheusInstalled(env))) {
    progress.say(
      `${has} there is no program prometheus. To watch the stack, ${INSTALL_PROMETHEUS}.`,
    );
    return NONE;
  }
  const folder = path.join(config.folder, 'prometheus');
  try {
    return await onFreePorts(
      () => portOf(PROMETHEUS, LOOPBACK, { usual: USUAL_PORT }),
      async (port) => {
        const options = { folder, host: LOOPBACK, port, metricsUrls, speed };
        return running(await start(await preparePrometheus(options)), `http://${LOOPBACK}:${port}`);
      },
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!stop.aborted) progress.say(`${has} ${reason}`);
    return NONE;
  }
}
