/** The console's mark: a piece of tape with its live edge. */
export function Mark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 20 20" className="size-5 shrink-0">
      <rect width="20" height="20" rx="5" className="fill-iris" />
      <rect x="4" y="8" width="7.5" height="4" rx="1" className="fill-on-iris" />
      <rect x="12.5" y="8" width="3.5" height="4" rx="1" className="fill-on-iris/60" />
    </svg>
  );
}
