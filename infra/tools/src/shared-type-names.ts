import type { SharedTypeNames } from './checks/type-names.ts';

/** The names that two packages may export for two things. */
export const sharedTypeNames: SharedTypeNames = {
  Config: 'each app has a configuration of its own, and no app imports another',
};
