import { type FolderOrders, ROOT } from './checks/folder-order.ts';

/**
 * The order in which the folders of each package may import each other, from top to bottom. A package without a row has no
 * folders in its `src`.
 */
export const folderOrders: FolderOrders = {
  'apps/api': {
    layers: [
      ['main'],
      ['app'],
      ['deps'],
      ['background'],
      ['features'],
      ['http'],
      ['config', 'permissions'],
    ],
    // A handler names the dependencies that it gets; deps.ts builds them from what the folders below it export.
    typesForAll: ['deps'],
  },
  'apps/core-agent': {
    layers: [
      ['main'],
      ['open-core-agent'],
      ['core-agent'],
      ['hearing', 'speaking'],
      ['endpoints'],
      [ROOT],
    ],
  },
  'apps/recorder': {
    layers: [
      ['main', 'replay-rejected'],
      ['deps'],
      ['recorder'],
      ['slots'],
      ['session'],
      ['room', 'history'],
      ['process'],
      ['config', 'message-path', 'timing'],
    ],
  },
  // An agent that does not converse imports the root only, and so loads no model client.
  'packages/agent-kit': { layers: [['conversation'], [ROOT]] },
  'packages/client': {
    layers: [
      ['index', 'browser', 'node', 'react'],
      ['create-client'],
      ['conversation'],
      ['resources', 'timeline'],
      ['http'],
      ['shapes'],
    ],
  },
  'packages/contract': { layers: [['index'], ['api'], ['room']] },
  'packages/conversation': {
    layers: [
      ['index'],
      ['chat'],
      ['rehearsal'],
      ['turn'],
      ['prompt'],
      ['model'],
      ['plan', 'speech'],
      ['settings'],
      [ROOT],
    ],
  },
  'packages/db': { layers: [['index'], ['queries'], ['schema'], [ROOT]] },
  'packages/media': { layers: [['index'], ['room'], ['text', 'voice'], ['server'], [ROOT]] },
  'packages/testing': { layers: [['browser-test'], ['browser'], [ROOT]] },
  'infra/check': {
    layers: [['main'], ['find-faults'], ['folder-orders', 'shared-type-names'], ['checks'], [ROOT]],
  },
  'infra/local': {
    layers: [
      ['main', 'index'],
      ['demo', 'kubetest', 'release'],
      ['stack'],
      ['postgres', 'livekit', 'speech', 'console'],
      ['supervision'],
      ['config', 'explain-error'],
    ],
  },
  bench: {
    layers: [
      ['main'],
      ['read-arguments'],
      ['chaos', 'claims', 'console', 'conversation', 'http', 'mask', 'recorder'],
      ['agents'],
      ['measure'],
    ],
  },
};
