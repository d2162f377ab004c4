export const STOP_REASONS = [
  'requested',
  'completed',
  'crashed',
  'out_of_memory',
  'image_error',
  'start_timeout',
  'no_capacity',
  'evicted',
  'max_duration',
  'session_closed',
  'lost',
  'bad_configuration',
  'never_joined',
  'left',
  'conversation_ended',
  'handed_over',
] as const;

export type StopReason = (typeof STOP_REASONS)[number];
