// A proxy that passes on what comes, over connections that it keeps: argv[2] says where.
import { Agent, createServer, request } from 'node:http';

const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, response) => {
  const sent = request(process.argv[2], { method: 'POST', headers: incoming.headers, agent }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(sent);
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
// The benchmark has ended.
process.on('disconnect', () => process.exit());
