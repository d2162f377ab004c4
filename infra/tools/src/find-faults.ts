import { checkDocComments } from './checks/doc-comments.ts';
import { checkFolderOrder } from './checks/folder-order.ts';
import { checkHelpers } from './checks/helpers-among-sources.ts';
import { checkImportRules } from './checks/import-rules.ts';
import { checkMutants } from './checks/mutant-texts.ts';
import { checkStatementParts } from './checks/statement-parts.ts';
import { checkTypeNames } from './checks/type-names.ts';
import { folderOrders } from './folder-orders.ts';
import { allMutants } from './mutants/all-mutants.ts';
import { sharedTypeNames } from './shared-type-names.ts';
import type { Fault, Repository } from './source-file.ts';

export function findFaults(repository: Repository): Fault[] {
  return [
    ...checkDocComments(repository),
    ...checkHelpers(repository),
    ...checkImportRules(repository),
    ...checkStatementParts(repository),
    ...checkTypeNames(repository, sharedTypeNames),
    ...checkFolderOrder(repository, folderOrders),
    ...checkMutants(repository, allMutants),
  ].toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
}
