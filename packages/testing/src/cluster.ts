import { inject } from 'vitest';

export interface ClusterContext {
  readonly kubeconfig: string;
  /** Only of the run's own cluster: what tests need to cause faults, and to read who requested what. */
  readonly own?: {
    /** SIGUSR1 restarts its API server. */
    readonly pid: number;
    readonly program: string;
    readonly etcd: string;
    /** Its audit log: one JSON object per line. */
    readonly audit: string;
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    cluster: ClusterContext;
  }
}

/** Returns the Kubernetes cluster that all tests of the run share: use a namespace of your own. */
export function testCluster(): ClusterContext {
  return inject('cluster');
}
