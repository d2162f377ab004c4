import { Link, Outlet } from '@tanstack/react-router';

/** The frame of every page of a user who is signed in. */
export function Shell() {
  return (
    <div className="min-h-dvh">
      <header className="border-line border-b px-4 py-3">
        <Link to="/" className="font-strong text-title">
          Sessions
        </Link>
      </header>
      <main className="p-6">
        <Outlet />
      </main>
    </div>
  );
}
