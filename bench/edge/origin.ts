import { NGINX_ENV, startNginx } from '../runtime/nginx.ts'
import { type Server, said } from '../runtime/process.ts'
import { startWorkerd } from '../runtime/workerd.ts'

/** One kilobyte: the size of a small page or an API response. */
export const ORIGIN_BODY = `${'Tidegate. '.repeat(102)}....`

/** An origin that is fast enough for every variant: nginx if it is installed, otherwise a Worker. */
export async function startOrigin(nginx: boolean): Promise<Server> {
  if (nginx)
    return startNginx({
      server: `default_type text/plain; location / { return 200 "${ORIGIN_BODY}"; }`,
    })
  const body = JSON.stringify(ORIGIN_BODY)
  return startWorkerd(`export default { fetch() { return new Response(${body}) } }`)
}

export const nginxVersion = async (): Promise<string | null> =>
  (await said('nginx', ['-v'], NGINX_ENV))?.match(/nginx\/([\d.]+)/)?.[1] ?? null
