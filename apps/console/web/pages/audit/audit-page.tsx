import { getRouteApi } from '@tanstack/react-router';
import { useRole } from '../../service/me.ts';
import { isAtLeast } from '../../service/permissions.ts';
import { AdminsOnly } from '../../ui/admins-only.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { CardSkeleton } from '../../ui/skeleton.tsx';
import { AuditFilter } from './audit-filter.tsx';
import type { AuditFilters } from './audit-filters.ts';
import { AuditList } from './audit-list.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/audit');

export function AuditPage() {
  const { projectId } = route.useParams();
  const role = useRole(projectId);
  return (
    <Page>
      <PageHeader title="Audit" description="Who did what in this project, the newest first." />
      <AdminsOnly
        isAdmin={role === undefined ? undefined : isAtLeast(role, 'ADMIN')}
        label="Audit"
        skeleton={<CardSkeleton rows={3} />}
        refusal={{
          title: 'The audit trail needs an admin.',
          text: 'An admin or owner of the project sees here who did what.',
        }}
      >
        <Audit key={projectId} projectId={projectId} />
      </AdminsOnly>
    </Page>
  );
}

function Audit({ projectId }: { readonly projectId: string }) {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const show = (search: AuditFilters) =>
    void navigate({ search, replace: true, resetScroll: false });
  return (
    <div className="grid gap-3">
      <AuditFilter projectId={projectId} filters={filters} onChange={show} />
      <AuditList projectId={projectId} filters={filters} onClear={() => show({})} />
    </div>
  );
}
