import { Id } from '@session/contract';
import { projectParams } from '../projects/project-schema.ts';

/** The path parameters of one member of a project. */
export const memberParams = projectParams.extend({ userId: Id });
