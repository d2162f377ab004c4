import { interopCollector } from '@session/testing';
import { traceIdOf } from '@session/traces';
import { type ReceivedSpan, type Receiver, startReceiver } from '@session/traces/testing';
import { expect, test } from 'vitest';
import { startCollector } from '../../testing/collector.ts';
import { haveTracedConversation } from '../../testing/traced-conversation.ts';

const AGENTS_PATH = '/sessions/:sessionId/agents';
const why = interopCollector() === '' ? ' (skipped: the collector could not be built)' : '';

test.skipIf(why !== '')(
  `OpenTelemetry’s collector receives the start of an agent and each message as one trace, with what each program says of itself${why}`,
  { timeout: 180_000 },
  async () => {
    await using receiver = await startReceiver();
    await using collector = await startCollector(receiver);
    // No variable chooses a protocol: it is the default, http/protobuf.
    const { run, agentId, messages } = await haveTracedConversation('collector', {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20test',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    await run.stop('SIGTERM');
    await expect
      .poll(() => namesIn(receiver, startOf(receiver, agentId)?.traceId))
      .toEqual(
        expect.arrayContaining([
          `POST ${AGENTS_PATH}`,
          'insert_agent',
          'join room',
          'join the room',
          'load program',
          'run program',
          'spawn process',
          'start agent',
          'start the program',
          'start workload',
          'wait for a workload',
        ]),
      );
    for (const { id } of messages) {
      await expect
        .poll(() => namesIn(receiver, traceIdOf(id)))
        .toEqual(expect.arrayContaining(['commit', 'flush', 'receive', 'record message']));
    }

    const start = startOf(receiver, agentId);
    const trace = receiver.trace(start?.traceId ?? '');
    const find = (name: string) => trace.find((span) => span.name === name);
    expect(start?.parentSpanId).toBe(find(`POST ${AGENTS_PATH}`)?.spanId);
    expect(find('run program')?.parentSpanId).toBe(start?.spanId);
    const recorded = receiver.trace(traceIdOf(messages[0]?.id ?? ''));
    const services = [start, find('run program'), recorded[0]].map((span) => span?.resource);
    const common = {
      'service.namespace': 'session-service',
      'service.instance.id': expect.stringMatching(/./),
      'deployment.environment.name': 'a test',
    };
    expect(services).toMatchObject([
      { ...common, 'service.name': 'session-api', 'service.version': expect.any(String) },
      { 'service.name': 'light-agent', 'service.instance.id': agentId },
      { ...common, 'service.name': 'session-recorder', 'service.version': expect.any(String) },
    ]);
  },
);

function startOf({ spans }: Receiver, agentId: string): ReceivedSpan | undefined {
  return spans.find(
    ({ name, attributes }) =>
      name === 'start agent' && attributes['session_service.agent.id'] === agentId,
  );
}

function namesIn(receiver: Receiver, traceId = ''): string[] {
  return receiver.trace(traceId).map(({ name }) => name);
}
