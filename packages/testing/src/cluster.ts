import { inject } from 'vitest';

/** What the global setup of `npm run test:kubernetes` provides. */
export interface ClusterContext {
  /** The file that says how its administrator reaches it. */
  readonly kubeconfig: string;
  /** What only the run's own cluster can be asked for: its faults, and who has asked it for what. */
  readonly own?: {
    /** SIGUSR1 restarts its API server. */
    readonly pid: number;
    readonly program: string;
    /** The address of its etcd. */
    readonly etcd: string;
    /** Its audit log, one JSON a line. */
    readonly audit: string;
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    cluster: ClusterContext;
  }
}

/** Gives the Kubernetes cluster that all tests of the run share: use a namespace of your own. */
export function testCluster(): ClusterContext {
  return inject('cluster');
}
