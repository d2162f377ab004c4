import { RESTARTABLE_REASONS, STOP_REASONS } from '@session/agents';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Labels never name a session, a project or a person. */
export interface Metrics {
  readonly registry: Registry;
  readonly requestDuration: Histogram<'method' | 'route' | 'status_class'>;
  readonly agentRestarts: Counter<'reason'>;
  readonly agentEnds: Counter<'reason'>;
  readonly agentJoinDuration: Histogram<'role'>;
  readonly webhookDeliveries: Counter<'result'>;
  readonly webhookClaimsLost: Counter;
  readonly webhooksGivenUp: Counter<'what'>;
  readonly resendRequests: Counter;
  readonly missingMessages: Counter;
  gauge(name: string, help: string, read: () => number): void;
  counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Counter<Label>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const agentEnds = new Counter({
    name: 'session_agent_ends_total',
    help: 'Agents that became Stopped, by reason, as the leading API process stored it.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of STOP_REASONS) agentEnds.inc({ reason }, 0);
  const agentRestarts = new Counter({
    name: 'session_agent_restarts_total',
    help: 'Agents that this process started again after their programs ended unasked, by the reason of the end.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of RESTARTABLE_REASONS) agentRestarts.inc({ reason }, 0);
  return {
    registry,
    ...webhookCounters(registers),
    resendRequests: new Counter({
      name: 'session_resend_requests_total',
      help: 'Requests of this process to senders for messages that a history lacks, by their numbers.',
      registers: [registry],
    }),
    missingMessages: new Counter({
      name: 'session_missing_messages_total',
      help: 'Messages that this process reported as missing, in gaps with the reason `missing_messages`.',
      registers: [registry],
    }),
    requestDuration: new Histogram({
      name: 'session_http_request_duration_seconds',
      help: 'Time from the request to the end of the response, including the time that it was held open.',
      labelNames: ['method', 'route', 'status_class'],
      buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    agentRestarts,
    agentEnds,
    agentJoinDuration: new Histogram({
      name: 'session_agent_join_duration_seconds',
      help: "Time from an agent's request until it was ready in its room for the first time, by the database's clock.",
      labelNames: ['role'],
      buckets: [0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120],
      registers,
    }),
    gauge(name, help, read) {
      const gauge = new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      });
      registry.registerMetric(gauge);
    },
    counter: (name, help, labelNames) => new Counter({ name, help, labelNames, registers }),
  };
}

function webhookCounters(registers: Registry[]) {
  const webhookDeliveries = new Counter({
    name: 'session_webhook_deliveries_total',
    help: 'Attempts of this process to send a message to a webhook: `taken` by the receiver, or `failed`.',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['taken', 'failed']) webhookDeliveries.inc({ result }, 0);
  const webhooksGivenUp = new Counter({
    name: 'session_webhooks_given_up_total',
    help: 'What this process gave up sending to: a `session` of a webhook, after three days of failures, or a `webhook`, which it disabled.',
    labelNames: ['what'],
    registers,
  });
  for (const what of ['session', 'webhook']) webhooksGivenUp.inc({ what }, 0);
  const webhookClaimsLost = new Counter({
    name: 'session_webhook_claims_lost_total',
    help: 'Sessions that another process claimed while this one was sending them to a webhook.',
    registers,
  });
  return { webhookClaimsLost, webhookDeliveries, webhooksGivenUp };
}
