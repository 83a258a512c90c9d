import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { end, startProcess } from '../../tools/child.ts'
import { childrenOf, type Server } from './process.ts'

/** On Debian it is not in the PATH of an ordinary user. */
const PLACES = '/usr/local/sbin:/usr/sbin:/sbin'
export const NGINX_ENV = { ...process.env, PATH: `${process.env.PATH}:${PLACES}` }

export interface NginxSite {
  /** Directives of `http { … }` before the server. */
  readonly http?: string
  readonly server: string
  readonly files?: Readonly<Record<string, string>>
}

/** One nginx with one worker process, because an isolate has one thread. */
export async function startNginx({ http = '', server, files = {} }: NginxSite): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-nginx-'))
  chmodSync(folder, 0o755) // If root starts nginx, its worker process runs as another user.
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const port = await freePort()
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  ${http}
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    ${server}
  }
}
`,
  )
  const child = startProcess('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], {
    env: NGINX_ENV,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  const close = async (): Promise<void> => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  while (!(await fetch(url).catch(() => null))) {
    if (child.exitCode !== null) {
      await close()
      throw new Error('nginx did not start: see its messages above')
    }
    await sleep(20)
  }
  return { url, pids: [child.pid!, ...childrenOf(child.pid!)], close }
}

/** A port that was free a moment ago: nginx cannot report a port that the system chose. */
async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address() as { port: number }
    probe.close(() => resolve(port))
  })
  return promise
}
