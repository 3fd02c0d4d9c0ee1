import { needsPostgres } from '../servers/postgres.js';
import { needsOrms } from '../stores/sql/orms/installed.js';
import { describeExamples, describeProject } from './example.js';

const needs = needsPostgres || needsOrms;

describeExamples(['prisma', 'drizzle', 'kysely', 'knex', 'typeorm', 'sequelize'].map((name) => [name, needs] as const));
describeProject('orms', needsOrms, "gives a handler the ORM's own type of transaction");
