import { type FolderOrders, ROOT } from './checks/folder-order.ts';

/** From top to bottom. A package without a row has no folders in its `src`. */
export const folderOrders: FolderOrders = {
  'apps/api/src': {
    layers: [
      ['erase-again', 'main', 'reset-password'],
      ['app'],
      ['deps'],
      ['background'],
      ['features'],
      ['mail', 'webhooks'],
      ['http'],
      ['config', 'permissions'],
      ['config-shapes'],
      ['config-provider', 'config-roles'],
    ],
    // A handler names the dependencies that it gets; deps.ts builds them from what the folders below it export.
    typesForAll: ['deps'],
  },
  'apps/console/web': { layers: [['main'], ['app'], ['pages'], ['service'], ['ui']] },
  'apps/core-agent/src': {
    layers: [
      ['main'],
      ['open-core-agent'],
      ['core-agent'],
      ['hearing', 'speaking'],
      ['endpoints'],
      [ROOT],
    ],
  },
  'apps/recorder/src': {
    layers: [
      ['after-restore', 'main', 'replay-rejected'],
      ['deps'],
      ['recorder'],
      ['slots'],
      ['session'],
      ['room', 'history'],
      ['process'],
      ['config', 'message-path', 'timing'],
      ['queries'],
    ],
  },
  // An agent that does not converse imports the root only, and so loads no model client.
  'packages/agent-kit/src': { layers: [['conversation'], [ROOT]] },
  'packages/client/src': {
    layers: [
      ['index', 'admin', 'browser', 'node', 'react'],
      ['create-client'],
      ['conversation'],
      ['resources', 'timeline'],
      ['http'],
      ['shapes'],
    ],
  },
  'packages/kit/src': { layers: [[ROOT], ['mask']] },
  'packages/contract/src': { layers: [['index'], ['api'], ['room']] },
  'packages/conversation/src': {
    layers: [
      ['index'],
      ['chat'],
      ['rehearsal'],
      ['turn'],
      ['prompt'],
      ['tools'],
      ['model'],
      ['plan', 'speech', 'template'],
      ['settings'],
      [ROOT],
    ],
  },
  'packages/db/src': {
    layers: [
      ['index'],
      ['queries', 'startup'],
      ['connection'],
      ['statement'],
      ['schema'],
      ['columns', 'errors'],
    ],
  },
  'packages/media/src': { layers: [['index'], ['room'], ['text', 'voice'], ['server'], [ROOT]] },
  'packages/traces/src': { layers: [['index'], ['open-traces'], ['sdk'], [ROOT]] },
  'packages/testing/src': { layers: [['browser-test'], ['browser'], ['fuzz'], [ROOT]] },
  'infra/tools/src': {
    layers: [
      ['check', 'pack', 'run-mutants'],
      ['find-faults'],
      ['folder-orders', 'mutants', 'shared-type-names'],
      ['checks'],
      [ROOT],
    ],
  },
  'infra/local/src': {
    layers: [
      ['main', 'index'],
      ['drill'],
      ['demo', 'kubetest', 'release'],
      ['stack'],
      ['postgres', 'livekit', 'speech', 'builds', 'monitoring'],
      ['supervision'],
      ['config', 'explain-error'],
    ],
  },
  'bench/src': {
    layers: [
      ['main'],
      ['read-arguments'],
      ['service'],
      ['chaos', 'conversation', 'http', 'recorder'],
      ['measure'],
    ],
  },
};
