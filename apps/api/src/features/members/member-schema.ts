import { Id } from '@session/contract';
import { projectParams } from '../projects/project-schema.ts';

/** The ids of a project and of one of its members in a path. */
export const memberParams = projectParams.extend({ userId: Id });
