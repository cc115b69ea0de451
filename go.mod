module github.com/shardls/shardls

go 1.26
