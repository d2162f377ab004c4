import * as z from 'zod';

const ContainerState = z.object({
  waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
  running: z.object({}).optional(),
  terminated: z
    .object({
      exitCode: z.number(),
      reason: z.string().optional(),
      message: z.string().optional(),
    })
    .optional(),
});

/** What we read of a pod, as the API server writes it; all else is left out. */
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
          }),
        )
        .optional(),
      containerStatuses: z.array(z.object({ state: ContainerState.optional() })).optional(),
    })
    .optional(),
});
export type Pod = z.output<typeof Pod>;

/** The state of a pod's only container, `{}` when there is none yet. */
export function containerState(pod: Pod): z.output<typeof ContainerState> {
  return pod.status?.containerStatuses?.[0]?.state ?? {};
}

/** Whether the program has begun to run, and so has a log. */
export function hasStarted(pod: Pod): boolean {
  const { running, terminated } = containerState(pod);
  return running !== undefined || terminated !== undefined;
}
