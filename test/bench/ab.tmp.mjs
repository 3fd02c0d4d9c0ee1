import { withPostgres, withMariadb } from './lib/servers.mjs';
import { freshDelivery, SECRET } from './lib/fixtures.mjs';
import { mkdtempSync } from 'node:fs';
import pg from 'pg'; import mysql from 'mysql2/promise'; import Database from 'libsql';
const load = async (dir) => ({ ...(await import(`${dir}/dist/index.js`)), sql: await import(`${dir}/dist/stores/sql/index.js`) });
const NEW = await load('/work/a'), OLD = await load('/tmp/base');
const [kind, ROUNDS = '41'] = process.argv.slice(2);
const sizes = [1, 10, 100];
import { readFileSync, readdirSync } from 'node:fs';
let match = '';
const pids = () => readdirSync('/proc').filter((p) => /^\d+$/.test(p)).filter((p) => { try { return match && readFileSync(`/proc/${p}/cmdline`, 'utf8').includes(match); } catch { return false; } });
let known = [];
const cpu = () => { let ns = process.cpuUsage(); let t = (ns.user + ns.system) / 1000; for (const p of known) { try { for (const task of readdirSync(`/proc/${p}/task`)) t += Number(readFileSync(`/proc/${p}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6; } catch {} } return t; };
async function timed(deliver, events, times) { const ds = Array.from({ length: times }, () => freshDelivery(events)); const s = cpu(); for (const { body, timestamp, signature } of ds) { const r = await deliver.handle({ rawBody: body, timestamp, signature }); if (r.status !== 200) throw new Error(JSON.stringify(r)); } return (cpu() - s) / times; }
const med = (a) => [...a].sort((x, y) => x - y); const q = (a, p) => med(a)[Math.floor(p * (a.length - 1))].toFixed(3);
async function compare(name, make) {
  for (const n of sizes) {
    const c = { new: make(NEW, 'k_new'), old: make(OLD, 'k_old'), old2: make(OLD, 'k_old2') };
    for (const d of Object.values(c)) { const s = performance.now(); do await timed(d, n, 5); while (performance.now() - s < 700); }
    known = pids(); const times = Math.max(2, Math.round(60 / await timed(c.old, n, 5)));
    const figs = { new: [], old: [], old2: [] };
    const names = Object.keys(c);
    for (let r = 0; r < Number(ROUNDS); r++) for (let i = 0; i < 3; i++) { const k = names[(i + r) % 3]; figs[k].push(await timed(c[k], n, times)); }
    const ratio = (a, b) => a.map((x, i) => x / b[i]);
    const rn = ratio(figs.new, figs.old), ro = ratio(figs.old2, figs.old);
    console.log(name, n, 'ms', q(figs.old, .5), 'new/old', q(rn, .5), `(${q(rn, .25)}–${q(rn, .75)})`, 'old/old', q(ro, .5), `(${q(ro, .25)}–${q(ro, .75)})`, 'min', (Math.min(...figs.new) / Math.min(...figs.old)).toFixed(3), 'p20', (q(figs.new,.2)/q(figs.old,.2)).toFixed(3));
  }
}
if (kind === 'pg') await withPostgres(async (url) => {
  const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5000 }); pool.on('error', () => {});
  await pool.query('CREATE TABLE effects (event_id text PRIMARY KEY, name text NOT NULL)');
  for (const t of ['k_new', 'k_old', 'k_old2']) await NEW.sql.sqlStore({ db: NEW.sql.fromPg(pool), table: t }).migrate();
  match = `${new URL(url).port}`; match = 'postgres:'; await compare('pg onEvents', (L, table) => L.createReceiver({ secret: SECRET, store: L.sql.sqlStore({ db: L.sql.fromPg(pool), transactional: true, table }), onEvents: (en, { tx }) => tx.query('INSERT INTO effects (event_id, name) SELECT * FROM unnest($1::text[], $2::text[])', [en.map(({ event }) => event.id), en.map(({ event }) => event.event)]) }));
  await pool.end();
});
if (kind === 'my') await withMariadb(async (url) => {
  const pool = mysql.createPool({ uri: url, connectionLimit: 10 });
  await pool.query('CREATE TABLE effects (event_id VARCHAR(64) PRIMARY KEY, name TEXT NOT NULL)');
  for (const t of ['k_new', 'k_old', 'k_old2']) await NEW.sql.sqlStore({ db: NEW.sql.fromMysql2(pool), table: t }).migrate();
  match = `--port=${new URL(url).port}`; await compare('mysql2 onEvents', (L, table) => L.createReceiver({ secret: SECRET, store: L.sql.sqlStore({ db: L.sql.fromMysql2(pool), transactional: true, table }), onEvents: (en, { tx }) => tx.query('INSERT INTO effects (event_id, name) VALUES ?', [en.map(({ event }) => [event.id, event.event])]) }));
  await pool.end();
});
if (kind === 'lite') { const db = new Database(`${mkdtempSync('/tmp/ab-')}/app.db`); db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL'); db.exec('CREATE TABLE effects (event_id TEXT PRIMARY KEY, name TEXT NOT NULL)');
  for (const t of ['k_new', 'k_old', 'k_old2']) await NEW.sql.sqlStore({ db: NEW.sql.fromBetterSqlite3(db), table: t }).migrate();
  const st = new Map(); const prep = (n) => { if (!st.has(n)) st.set(n, db.prepare(`INSERT INTO effects (event_id, name) VALUES ${Array(n).fill('(?, ?)').join()}`)); return st.get(n); };
  await compare('libsql onEvents', (L, table) => L.createReceiver({ secret: SECRET, store: L.sql.sqlStore({ db: L.sql.fromBetterSqlite3(db), transactional: true, table }), onEvents: (en) => { prep(en.length).run(...en.flatMap(({ event }) => [event.id, event.event])); } }));
}
process.exit(0);
