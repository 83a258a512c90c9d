/** What passing a request on costs at the least. */
export default {
  fetch(request: Request): Promise<Response> {
    return fetch(ORIGIN + request.url.substring(request.url.indexOf('/', 8)), request)
  },
}
