import type { StartTimes } from '@session/agents';
import * as z from 'zod';
import { CONTAINER } from './pod-spec.ts';

const Moment = z.string().nullish();

const ContainerState = z.object({
  waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
  running: z.object({ startedAt: Moment }).optional(),
  terminated: z
    .object({
      exitCode: z.number(),
      startedAt: Moment,
      reason: z.string().optional(),
      message: z.string().optional(),
    })
    .optional(),
});

export const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
    deletionTimestamp: z.string().optional(),
  }),
  status: z
    .object({
      phase: z.string().optional(),
      reason: z.string().optional(),
      message: z.string().optional(),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().optional(),
            message: z.string().optional(),
            lastTransitionTime: Moment,
          }),
        )
        .optional(),
      containerStatuses: z
        .array(z.object({ name: z.string(), state: ContainerState.optional() }))
        .optional(),
    })
    .optional(),
});
export type Pod = z.output<typeof Pod>;

/** Returns the state of the agent's own container. A webhook of the cluster may have added other containers. */
export function containerState(pod: Pod): z.output<typeof ContainerState> {
  return pod.status?.containerStatuses?.find(({ name }) => name === CONTAINER)?.state ?? {};
}

export function hasStarted(pod: Pod): boolean {
  const { running, terminated } = containerState(pod);
  return running !== undefined || terminated !== undefined;
}

export function startTimesOf(pod: Pod): StartTimes {
  const scheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'True',
  );
  const { running, terminated } = containerState(pod);
  const programStartedAt = running?.startedAt ?? terminated?.startedAt;
  return {
    ...(scheduled?.lastTransitionTime && { scheduledAt: scheduled.lastTransitionTime }),
    ...(programStartedAt && { programStartedAt }),
  };
}
