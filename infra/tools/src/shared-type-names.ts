import type { SharedTypeNames } from './checks/type-names.ts';

export const sharedTypeNames: SharedTypeNames = {
  Config: 'each app has a configuration of its own, and no app imports another',
};
