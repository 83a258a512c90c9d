/**
 * The operator's page. It holds no data: everything that it shows comes from the API, with the token. So it may be
 * sent to everybody, with the form that asks for the token.
 */
export async function dashboardResponse(): Promise<Response> {
  // Large, and asked for by few: it is read when somebody asks.
  const { DASHBOARD_HTML, DASHBOARD_POLICY } = await import('./dashboard-page.generated.ts')
  return new Response(DASHBOARD_HTML, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': DASHBOARD_POLICY,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
    },
  })
}
