import postgres from 'postgres';

/** Makes an empty database of that name, instead of an older one, and returns its URL. */
export async function freshDatabase(adminUrl: string, name: string): Promise<string> {
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} });
  await admin`drop database if exists ${admin(name)} with (force)`;
  await admin`create database ${admin(name)}`;
  await admin.end();
  return Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
}
