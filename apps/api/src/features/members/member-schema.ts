import * as z from 'zod';

/** The id of a project in a path. */
export const projectParams = z.object({ id: z.uuid().toLowerCase() });

/** The ids of a project and of one of its members in a path. */
export const memberParams = projectParams.extend({ userId: z.uuid().toLowerCase() });
